/** The subtitles over the video, and the choice of subtitles. */
import { useEffect, useRef } from 'preact/hooks';
import { Options } from '../../../shared/options.tsx';
import { words } from '../../../shared/words.ts';
import type { Player } from '../player.ts';
import { languageName } from '../sound-names.ts';
import type { Cell, Picture } from './picture.ts';

/** Interval of checks for new subtitles. */
const pollIntervalMs = 100;
/** Height of a line of text in pixels. */
const lineHeight = 20;

interface PlayerProps {
  readonly player: Player;
}

export function SubtitleLayer({ player }: PlayerProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chosen = player.subtitles.chosen.value;
  useEffect(() => {
    let shown: Picture | undefined;
    const update = () => {
      const picture = player.subtitle;
      if (picture === shown) return;
      shown = picture;
      canvas.current?.style.setProperty('--ratio', String(player.aspectRatio));
      if (canvas.current) draw(canvas.current, picture);
    };
    const timer = chosen && setInterval(update, pollIntervalMs);
    return () => {
      clearInterval(timer);
      if (canvas.current) draw(canvas.current, undefined);
    };
  }, [player, chosen]);
  return (
    <div class="subtitles" hidden={!chosen}>
      <canvas ref={canvas} width={1} height={1} role="img" aria-label={words.value.watch.subtitles} />
    </div>
  );
}

/** Draws a picture; undefined clears the canvas, as setting its size does. */
function draw(canvas: HTMLCanvasElement, picture: Picture | undefined): void {
  canvas.width = picture?.width ?? 1;
  canvas.height = picture?.height ?? 1;
  canvas.ariaLabel = picture?.text || words.value.watch.subtitles;
  const context = canvas.getContext('2d');
  if (context === null || picture === undefined) return;
  for (const { x, y, width, height, data } of picture.bitmaps) {
    context.putImageData(new ImageData(data, width, height), x, y);
  }
  for (const cell of picture.cells) drawCell(context, cell);
}

/** Draws a character. One of double height is stretched. */
function drawCell(context: CanvasRenderingContext2D, { x, y, width, height, text, colour, background }: Cell): void {
  context.setTransform(1, 0, 0, 1, x, y);
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  context.scale(1, height / lineHeight);
  context.font = `${lineHeight - 2}px ui-monospace, monospace`;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  context.fillStyle = colour;
  context.fillText(text, width / 2, lineHeight / 2, width);
}

export function SubtitleChoice({ player: { subtitles } }: PlayerProps) {
  const offered = subtitles.offered.value;
  const chosen = subtitles.chosen.value;
  const { watch } = words.value;
  if (offered.length === 0) return null;
  return (
    <select
      class="stream-choice"
      aria-label={watch.subtitles}
      value={chosen ? offered.indexOf(chosen) : ''}
      onChange={({ currentTarget: { value } }) => subtitles.choose(value === '' ? undefined : offered[Number(value)])}
    >
      <option value="">{watch.noSubtitles}</option>
      <Options
        of={offered.map(({ language, isForHardOfHearing }, index) => [
          index,
          isForHardOfHearing ? watch.hardOfHearing(languageName(language)) : languageName(language),
        ])}
      />
    </select>
  );
}
