/** Asks before a running recording is stopped, the same everywhere. */
import { Question } from './dialog.tsx';
import { words } from './words.ts';

interface StopQuestionProps {
  readonly title: string;
  readonly onStop: () => Promise<void>;
  readonly onClose: () => void;
}

export function StopQuestion({ title, onStop, onClose }: StopQuestionProps) {
  const { event } = words.value;
  const stop = () => {
    onClose();
    return onStop();
  };
  return (
    <Question
      title={event.stopQuestion(title)}
      effect={event.keptSoFar}
      action={event.stopRecording}
      onConfirm={stop}
      onClose={onClose}
    />
  );
}
