/**
 * The layer above the page, with the receiver's messages and the toast. Elements outside an open modal dialog or full-screen
 * element are inert or hidden, so the layer moves into the topmost one.
 */
export const above = document.createElement('div');
// The class takes the layer out of the layout.
above.className = 'above';

const dialogs: HTMLElement[] = [];

/** Moves the layer into a dialog that opens. Returns a function that moves it back. */
export function raiseInto(dialog: HTMLElement): () => void {
  dialogs.push(dialog);
  raise();
  return () => {
    dialogs.splice(dialogs.indexOf(dialog), 1);
    raise();
  };
}

function raise(): void {
  (dialogs.at(-1) ?? document.fullscreenElement ?? document.body).append(above);
}

document.addEventListener('fullscreenchange', raise);
raise();
