import type { ComponentChildren } from 'preact';

interface EmptyProps {
  readonly title?: string;
  readonly text: string;
  /** Buttons and links that help. */
  readonly children?: ComponentChildren;
}

/** Placeholder for an empty list. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      {title && <h2>{title}</h2>}
      <p>{text}</p>
      {children && <p class="actions">{children}</p>}
    </div>
  );
}
