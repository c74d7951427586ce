/** Placeholder for an empty list. */
export function Empty({ title, text }: { readonly title?: string; readonly text: string }) {
  return (
    <div class="empty">
      {title && <h2>{title}</h2>}
      <p>{text}</p>
    </div>
  );
}
