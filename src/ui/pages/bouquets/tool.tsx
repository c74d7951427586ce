/** An icon button in a row of a list. */
import { Icon } from '../../shared/icon.tsx';

interface ToolProps {
  readonly icon: Parameters<typeof Icon>[0]['of'];
  readonly label: string;
  readonly isPressed?: boolean;
  readonly onClick: () => void;
}

export function Tool({ icon, label, isPressed, onClick }: ToolProps) {
  return (
    <button type="button" class="bare" aria-label={label} title={label} aria-pressed={isPressed} onClick={onClick}>
      <Icon of={icon} size={18} />
    </button>
  );
}
