/** Explains why there are no events. */
import { useTuners } from './tuners.ts';
import { words } from './words.ts';

/** The guide is being collected, or there is none. Empty until the receiver has answered. */
export function useGuideHint(): string {
  const tuners = useTuners();
  const { app } = words.value;
  if (tuners === undefined) return '';
  const isCollecting = tuners.some(({ users }) =>
    users.some(({ purpose }) => purpose === 'guide' || purpose === 'scan'),
  );
  return isCollecting ? app.gathering : app.noGuide;
}
