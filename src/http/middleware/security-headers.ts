/**
 * Security headers of every response. Pages and lists show texts from the broadcast, which may contain anything. Browsers
 * therefore run and load only our own files, submit forms nowhere, and do not guess media types. No other site can frame the
 * page to trick a user into a click, and links do not reveal where they came from. `blob:` is for Media Source Extensions,
 * which play from a blob that our own script creates.
 */
export const securityHeaders = {
  'Content-Security-Policy':
    "default-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;
