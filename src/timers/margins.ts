/** Time before and after an event for which it is recorded too. */
import type { Settings } from '../device/settings.ts';

/** In seconds, as `config.recording.margin_before` and `config.recording.margin_after` say in minutes. */
export function recordingMargins(settings: Pick<Settings, 'number'>): {
  readonly before: number;
  readonly after: number;
} {
  return {
    before: settings.number('config.recording.margin_before') * 60,
    after: settings.number('config.recording.margin_after') * 60,
  };
}
