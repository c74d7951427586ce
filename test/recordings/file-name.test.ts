/** The names of recording files. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { recordingName } from '../../src/recordings/files/file-name.ts';

const begin = Date.UTC(2026, 0, 1, 19, 15) / 1000;
const ships = { begin, serviceName: 'Alpha HD', title: 'Ships & Harbours', description: 'Episode 3' };
const name = (changes: Partial<typeof ships> = {}, settings = '') =>
  recordingName({ ...ships, ...changes }, 'Europe/Berlin', Settings.parse(settings));
const composition = (rule: string) => `config.recording.filename_composition=${rule}`;

describe('the name of a recording', () => {
  it('is composed according to the setting, in local time', () => {
    expect(name()).toBe('20260101 2015 - Alpha HD - Ships & Harbours');
    expect(name({}, composition('standard'))).toBe(name());
    expect(name({}, composition('long'))).toBe('20260101 2015 - Alpha HD - Ships & Harbours - Episode 3');
    expect(name({ description: '' }, composition('long'))).toBe('20260101 2015 - Alpha HD - Ships & Harbours');
    expect(name({}, composition('short'))).toBe('20260101 - Ships & Harbours');
    expect(name({}, composition('event'))).toBe('Ships & Harbours - 20260101 2015_Alpha HD');
    for (const rule of ['standard', 'long', 'short', 'event']) {
      expect(name({ title: '' }, composition(rule))).toBe('20260101 2015 - Alpha HD');
    }
    expect(name({ begin: Date.UTC(2026, 5, 30, 22, 5) / 1000 })).toMatch(/^20260701 0005 /);
  });

  it('contains no character that a file system or network share refuses', () => {
    expect(name({ title: 'a/b\\c:d*e?f"g<h>i|j\0k\u0086l\u0087m\nn.o' })).toBe(
      '20260101 2015 - Alpha HD - abcdefghijklmn_o',
    );
    expect(name({ title: 'Große Häfen' })).toBe('20260101 2015 - Alpha HD - Große Häfen'.normalize('NFC'));
    expect(name({ title: 'Große Häfen' }, 'config.recording.ascii_filenames=true')).toBe(
      '20260101 2015 - ALPHA HD - GROSSE HAFEN',
    );
    expect(name({ title: 'Море' }, 'config.recording.ascii_filenames=true')).toBe('20260101 2015 - ALPHA HD - ____');
  });

  it('does not contain what is far behind its end', () => {
    expect(name({ title: `${'/'.repeat(1000)}x` })).toBe('20260101 2015 - Alpha HD -');
  });

  it('is a valid file name whatever the texts are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(text, text, text, fc.constantFrom('standard', 'long', 'short', 'event'), fc.boolean(), (...of) => {
        const [title, serviceName, description, rule, ascii] = of;
        const made = name(
          { title, serviceName, description },
          `${composition(rule)}\nconfig.recording.ascii_filenames=${ascii}`,
        );
        expect(made).not.toBe('');
        expect(made).not.toMatch(/[\p{Cc}\\/:*?"<>|.]/u);
        expect(Buffer.from(made).toString()).toBe(made);
        expect(made).toBe(made.trim());
        expect(Buffer.byteLength(`${made}_001.ts.meta`)).toBeLessThanOrEqual(255);
        if (ascii) expect(made).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });
});
