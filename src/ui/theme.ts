/**
 * Light or dark, as chosen on this browser; otherwise as the system. It is a script of its own, which runs before the first
 * paint, because the page's modules run later. The footer and other tabs send it an event when the choice changes.
 */
{
  const names = /light|dark/g;
  /** The media queries of the colours, as they are in the files. */
  const queries = new Map<MediaList | HTMLMetaElement, string>();

  const remember = (key: MediaList | HTMLMetaElement, text: string) => {
    if (text.includes('prefers-color-scheme')) queries.set(key, text);
  };
  const collect = () => {
    for (const sheet of document.styleSheets)
      for (const rule of sheet.cssRules) if (rule instanceof CSSMediaRule) remember(rule.media, rule.media.mediaText);
    for (const meta of document.querySelectorAll('meta')) remember(meta, meta.media);
  };

  const apply = () => {
    const [theme] = localStorage.getItem('theme')?.match(names) ?? [];
    document.documentElement.style.colorScheme = theme ?? '';
    for (const [key, query] of queries) {
      const media = theme === undefined ? query : query.includes(theme) ? 'all' : 'not all';
      if (key instanceof MediaList) key.mediaText = media;
      else key.media = media;
    }
  };

  collect();
  apply();
  addEventListener('theme', apply);
  addEventListener('storage', apply);
}
