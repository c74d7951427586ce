/** A card of a shelf: a picture of 16:9 with a title and facts below. The whole card is a link. */
import type { ComponentChildren } from 'preact';
import { genreClass } from '../../shared/genres.ts';

interface CardProps {
  readonly link: string;
  /** What the link does, for screen readers. Default: opens the details. */
  readonly verb?: string;
  readonly picture: ComponentChildren;
  readonly title: string;
  readonly facts: string;
  /** content_nibble_level_1 * 16 + content_nibble_level_2; 0: none. */
  readonly genre?: number;
  /** From 0 to 1. */
  readonly progress?: number | undefined;
  /** What is or will be recorded has a red dot, whose text this is. */
  readonly mark?: string | undefined;
  /** A button beside the title. */
  readonly action?: ComponentChildren;
}

export function Card({ link, verb, picture, title, facts, genre = 0, progress, mark, action }: CardProps) {
  return (
    <li class={`shelf-card ${genreClass(genre)}`}>
      <a class="card-link" href={link}>
        {verb && <span class="unseen">{verb} </span>}
        <span class="card-picture">
          {picture}
          {mark && <span class="card-mark" />}
          {progress !== undefined && <progress max={1} value={progress} aria-hidden="true" />}
        </span>
        <strong>{title}</strong>
        <small>{facts}</small>
        {mark && <span class="unseen">{mark}</span>}
      </a>
      {action}
    </li>
  );
}
