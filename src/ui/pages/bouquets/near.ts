/** Tells when an element comes near the visible part of the page: rows of long lists render their controls only then. */
const waiting = new WeakMap<Element, () => void>();

const observer = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      waiting.get(target)?.();
      forget(target);
    }
  },
  { rootMargin: '800px 0px' },
);

/** Calls `act` once. */
export function whenNear(element: Element, act: () => void): void {
  waiting.set(element, act);
  observer.observe(element);
}

export function forget(element: Element): void {
  waiting.delete(element);
  observer.unobserve(element);
}
