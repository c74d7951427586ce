/** The dialogs of the bouquet editor. */
import { useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Dialog, Question } from '../../shared/dialog.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { PinField } from '../../shared/zap.tsx';
import { type ImportedList, ListForm, ListReport } from './list-form.tsx';

export type BouquetFile = Result<'get', '/bouquets'>['bouquets'][number];

interface DialogProps {
  readonly onClose: () => void;
}

const formOf = (event: SubmitEvent) => {
  event.preventDefault();
  return new FormData(event.currentTarget as HTMLFormElement);
};

export function NewBouquet({ onClose }: DialogProps) {
  const { bouquets: texts } = words.value;
  const add = async (event: SubmitEvent) => {
    const given = formOf(event);
    const kind = given.get('kind') === 'radio' ? 'radio' : 'tv';
    const done = await attempt(() => receiver.post('/bouquets', { name: String(given.get('name')), kind }));
    if (done) onClose();
  };
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <form onSubmit={(event) => void add(event)}>
        <label>
          {texts.name}
          <input name="name" required maxLength={100} />
        </label>
        <label>
          {texts.kind}
          <select name="kind">
            <option value="tv">{texts.television}</option>
            <option value="radio">{texts.radio}</option>
          </select>
        </label>
        <button type="submit" class="button strong">
          {texts.add}
        </button>
      </form>
    </Dialog>
  );
}

interface RenameProps extends DialogProps {
  readonly name: string;
  /** Whether the name may be empty. */
  readonly isOptional?: boolean;
  /** Resolves to whether the receiver accepted the name. */
  readonly onName: (name: string) => Promise<boolean>;
}

export function Rename({ name, isOptional = false, onName, onClose }: RenameProps) {
  const { bouquets: texts, common } = words.value;
  const rename = async (event: SubmitEvent) => {
    if (await onName(String(formOf(event).get('name')))) onClose();
  };
  return (
    <Dialog title={texts.rename(name)} onClose={onClose}>
      <form onSubmit={(event) => void rename(event)}>
        <label>
          {texts.name}
          <input name="name" required={!isOptional} maxLength={100} defaultValue={name} />
        </label>
        <button type="submit" class="button strong">
          {common.save}
        </button>
      </form>
    </Dialog>
  );
}

export function DeleteQuestion({ bouquet: { file, name }, onClose }: DialogProps & { readonly bouquet: BouquetFile }) {
  const { bouquets: texts, common } = words.value;
  const remove = async () => {
    const done = await attempt(() => receiver.delete('/bouquets/{file}', { file }));
    if (done) showToast(texts.removed(name));
    onClose();
  };
  return (
    <Question
      title={texts.removeQuestion(name)}
      effect={texts.removeEffect}
      action={common.delete}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

export function ImportDialog({ onClose }: DialogProps) {
  const { bouquets: texts } = words.value;
  const [done, setDone] = useState<ImportedList>();
  const show = (imported: ImportedList) => {
    if (imported.problems.length + imported.guides.length > 0) return setDone(imported);
    showToast(texts.imported(imported.channels, imported.name));
    onClose();
  };
  return (
    <Dialog title={texts.importList} onClose={onClose}>
      {done ? <ListReport {...done} /> : <ListForm onDone={show} />}
    </Dialog>
  );
}

/** Sets or removes the PIN of the parental lock. */
export function PinForm({ onClose }: DialogProps) {
  const { value } = useResponse((signal) => receiver.get('/parentallock', {}, { signal }), []);
  const { bouquets: texts, common, parental } = words.value;
  const set = async (event: SubmitEvent) => {
    const given = formOf(event);
    const [code, pin] = [Number(given.get('code')), String(given.get('pin') ?? '')];
    const done = await attempt(() => receiver.post('/parentallock', { code, pin }));
    if (done === undefined) return;
    showToast(code > 0 ? texts.pinSet : texts.pinRemoved);
    onClose();
  };
  return (
    <Dialog title={texts.parentalLock} onClose={onClose}>
      <form onSubmit={(event) => void set(event)}>
        <p>{texts.parentalLockAbout}</p>
        {value?.set && <PinField name="pin" label={parental.currentPin} />}
        <PinField name="code" label={parental.newPin} />
        <button type="submit" class="button strong">
          {common.save}
        </button>
      </form>
    </Dialog>
  );
}
