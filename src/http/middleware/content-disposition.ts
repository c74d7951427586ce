/** Content-Disposition (RFC 6266): the name in plain ASCII, followed by the full name if that differs. */
export function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const clean = fileName.replace(/[\p{Cc}"\\/]/gu, '_');
  const ascii = clean.replace(/[^\x20-\x7e]/g, '_');
  const whole = ascii === clean ? '' : `; filename*=UTF-8''${encodeURIComponent(clean)}`;
  return `${kind}; filename="${ascii}"${whole}`;
}
