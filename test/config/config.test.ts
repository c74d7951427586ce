import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const empty = { HOME: '/nowhere' };

function file(text: string): string {
  const path = join(temporaryFolder(), 'receiverd.yaml');
  writeFileSync(path, text);
  return path;
}

describe('configuration', () => {
  it('has a default for everything, derived from the data folder', () => {
    const configuration = loadConfiguration({ environment: { XDG_DATA_HOME: '/srv' } });
    expect(configuration).toMatchObject({
      dataDir: '/srv/receiverd',
      enigma2Dir: '/srv/receiverd/enigma2',
      locations: ['/srv/receiverd/movie/'],
      tuners: ['demo'],
      httpPort: 8080,
      streamPort: 8001,
      clock: 'system',
      stream: { clientBound: 8388608 },
    });
  });

  it('lets flags win over the environment, and that over the file', () => {
    const path = file('httpPort: 1\nstreamPort: 2\nname: Attic\nstream:\n  linger: 9\n');
    const configuration = loadConfiguration({
      file: path,
      environment: { ...empty, RECEIVERD_STREAM_PORT: '3', RECEIVERD_NAME: 'Cellar', RECEIVERD_LANGUAGES: 'deu, fra' },
      flags: { name: 'Kitchen' },
    });
    expect(configuration).toMatchObject({ httpPort: 1, streamPort: 3, name: 'Kitchen', languages: ['deu', 'fra'] });
    expect(configuration.stream).toMatchObject({ linger: 9, maximumClients: 64 });
  });

  it.each([
    ['httpPort: 70000\n', /httpPort/],
    ['clock: sundial\n', /clock.*system, broadcast/],
    ['colour: red\n', /colour/],
    ['timeZone: Mars/Olympus\n', /timeZone.*Mars/],
    ['httpPort: [\n', /receiverd\.yaml/],
    ['- 1\n', /receiverd\.yaml.*mapping/],
  ])('refuses %j and says where', (text, message) => {
    expect(() => loadConfiguration({ file: file(text), environment: empty })).toThrow(message);
  });

  it('refuses an environment port that is no number', () => {
    expect(() => loadConfiguration({ environment: { ...empty, RECEIVERD_HTTP_PORT: 'eighty' } })).toThrow(/httpPort/);
  });
});
