/** When the evening's main programmes begin. */

/** Minutes after local midnight. */
export const primeTime = () => 20 * 60 + 15;
