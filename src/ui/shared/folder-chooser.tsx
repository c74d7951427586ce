/** A button that opens a dialog to choose a folder of the receiver in which a recording folder may be. */
import { CornerLeftUp, Folder } from 'lucide';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { Empty } from './empty.tsx';
import { Icon } from './icon.tsx';
import { receiver } from './receiver.ts';
import { useResponse } from './use-response.ts';
import { words } from './words.ts';

interface FolderChooserProps {
  /** Called with an absolute path that ends with a slash. */
  readonly onChoose: (folder: string) => void;
}

export function FolderChooser({ onChoose }: FolderChooserProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon of={Folder} size={16} /> {words.value.folders.choose}
      </button>
      {isOpen && (
        <Chooser
          onClose={() => setOpen(false)}
          onChoose={(folder) => {
            setOpen(false);
            onChoose(folder);
          }}
        />
      )}
    </>
  );
}

function Chooser({ onChoose, onClose }: FolderChooserProps & { readonly onClose: () => void }) {
  // The folders that lead to the shown one, which is the last.
  const [path, setPath] = useState<readonly string[]>([]);
  const folder = path.at(-1) ?? '';
  const { value, trouble } = useResponse(
    async (signal) => ({ folder, ...(await receiver.get('/api/locationfolders', { folder }, { signal })) }),
    [folder],
  );
  const { folders: texts } = words.value;
  const isShown = value?.folder === folder;
  return (
    <Dialog title={texts.choose} onClose={onClose}>
      <p class="path" role="status">
        {folder || texts.outermost}
      </p>
      {trouble && <p class="trouble">{trouble}</p>}
      <ul class="channel-choices">
        {folder !== '' && (
          <li>
            <button type="button" class="button" onClick={() => setPath(path.slice(0, -1))}>
              <Icon of={CornerLeftUp} size={16} /> {texts.up}
            </button>
          </li>
        )}
        {isShown &&
          value.folders.map((one) => (
            <li key={one}>
              <button type="button" class="button" onClick={() => setPath([...path, one])}>
                <Icon of={Folder} size={16} /> {one.slice(folder.length).replace(/(?<=.)\/$/, '')}
              </button>
            </li>
          ))}
      </ul>
      {isShown && value.folders.length === 0 && <Empty text={texts.none} />}
      <p class="actions">
        <button type="button" class="button strong" disabled={folder === ''} onClick={() => onChoose(folder)}>
          {texts.use}
        </button>
      </p>
    </Dialog>
  );
}
