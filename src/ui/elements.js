/** Creates elements. Guide texts are hostile: they enter the page only as text nodes created here. */

/**
 * An element with attributes (undefined and false are omitted, true means empty) and children (strings become text).
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key === 'class') made.className = value;
    else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== ''));
  return made;
}

/** Sets a text only if it differs, so that a screen reader does not repeat it. */
export function setText(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

/** A message in place of an empty list; `title` may be empty. */
export function emptyState(title, text) {
  return element('div', { class: 'empty' }, title && element('h2', {}, title), element('p', {}, text));
}

/**
 * Text with `<mark>` around the search words, matched as the receiver does: ignoring case and accents. Returns nodes to
 * append.
 */
export function marked(text, words) {
  const { folded, from, to } = fold(text);
  const spans = [];
  for (const word of words.map((one) => fold(one).folded).filter((one) => one !== '')) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      spans.push([from[at], to[at + word.length - 1]]);
    }
  }
  spans.sort(([a], [b]) => a - b);
  const nodes = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (end <= done) continue;
    const begin = Math.max(start, done);
    if (begin > done) nodes.push(text.slice(done, begin));
    nodes.push(element('mark', {}, text.slice(begin, end)));
    done = end;
  }
  if (done < text.length) nodes.push(text.slice(done));
  return nodes;
}

/** The folded text, and for each of its units the begin and end of its source character in the original. */
function fold(text) {
  const from = [];
  const to = [];
  let folded = '';
  let position = 0;
  for (const character of text) {
    const end = position + character.length;
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    for (let unit = 0; unit < plain.length; unit++) {
      from.push(position);
      to.push(end);
    }
    // A separate combining mark belongs to the character before it.
    if (plain === '' && to.length > 0) to[to.length - 1] = end;
    folded += plain;
    position = end;
  }
  return { folded, from, to };
}
