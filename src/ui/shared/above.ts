/**
 * What is above the page: messages of the receiver, and what the page itself says briefly. Whatever is outside a modal
 * dialog or a full screen is hidden or inert, so it moves into what is uppermost.
 */
export const above = document.createElement('div');
// It takes no room of its own, wherever it is.
above.className = 'above';

const dialogs: HTMLElement[] = [];

/** Moves what is above into a dialog that opens. Returns what takes it out again. */
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
