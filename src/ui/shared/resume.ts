/** Seconds: a recording that was left nearer to its beginning or its end begins anew; of a short one, a quarter. */
const margin = 20;
/** Part of its length after which only credits follow. */
const seen = 0.97;

/** Seconds at which to go on with a recording; 0 if it was not begun, or was seen to its end. A length of 0 is not known. */
export function resumeAt(left: number, length: number): number {
  const end = length || Infinity;
  const near = Math.min(margin, end / 4);
  return left > near && left < Math.min(end - near, seen * end) ? left : 0;
}
