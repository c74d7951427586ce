/** Extra recording time before and after an event. */
import type { Settings } from '../device/settings.ts';

/** In seconds; `config.recording.margin_before` and `config.recording.margin_after` are in minutes. */
export function recordingMargins(settings: Pick<Settings, 'number'>): {
  readonly before: number;
  readonly after: number;
} {
  return {
    before: settings.number('config.recording.margin_before') * 60,
    after: settings.number('config.recording.margin_after') * 60,
  };
}
