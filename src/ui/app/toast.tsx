/** What `say` says. */
import { toast, unsay } from '../shared/attempt.ts';

export function Toast() {
  const { text, action } = toast.value ?? {};
  return (
    <div class={`toast ${text ? 'shown' : ''}`} role="status">
      {text}
      {action && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            unsay();
            void action.run();
          }}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}
