/** A small guide as an XMLTV file: eight events for each service, one of them running. */
import { writeFile } from 'node:fs/promises';

/** Writes the file and returns its path. */
export async function writeGuide(
  file: string,
  services: number,
  reference: (number: number) => string,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const time = (seconds: number) => `${new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\..*/g, '')} +0000`;
  const numbers = Array.from({ length: services }, (_, n) => n + 1);
  const channels = numbers.map(
    (n) => `<channel id="${reference(n)}"><display-name>Service ${n}</display-name></channel>\n`,
  );
  const programmes = numbers.flatMap((n) =>
    Array.from({ length: 8 }, (_, hour) => {
      const start = now - 1800 + hour * 3600;
      const title = (n + hour) % 50 === 0 ? `Ships and harbours ${n}` : `Programme ${n * 8 + hour}`;
      return (
        `<programme start="${time(start)}" stop="${time(start + 3600)}" channel="${reference(n)}">` +
        `<title lang="en">${title}</title><sub-title lang="en">Episode ${hour}</sub-title>` +
        `<desc lang="en">What happened on service ${n} in hour ${hour}, and what came of it.</desc></programme>\n`
      );
    }),
  );
  await writeFile(
    file,
    `<?xml version="1.0" encoding="UTF-8"?>\n<tv>\n${channels.join('')}${programmes.join('')}</tv>\n`,
  );
  return file;
}
