/** Content-Disposition (RFC 6266): the file name in ASCII, followed by the full name in UTF-8 if it differs. */
export function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const clean = fileName.replace(/[\p{Cc}"\\/]/gu, '_');
  const ascii = clean.replace(/[^\x20-\x7e]/g, '_');
  const whole = ascii === clean ? '' : `; filename*=UTF-8''${encodeURIComponent(clean)}`;
  return `${kind}; filename="${ascii}"${whole}`;
}
