/**
 * Headers of every response. Pages and lists show texts that come from the broadcast: whatever a text contains, only our
 * own files may be run or loaded, nothing may be sent elsewhere, and nothing is taken for another type than it says. No
 * other site can frame the page and trick a click into a zap, or learns where a link came from. Media Source Extensions play
 * from a `blob:` that our own script has made.
 */
export const securityHeaders = {
  'Content-Security-Policy':
    "default-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;
