import { useEffect, useRef } from 'preact/hooks';
import { KEYS } from './keys.ts';

/** What `?` shows. */
export function Help({ onClose }: { onClose: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div class="help" role="dialog" aria-modal="true" aria-label="Keys">
      <div class="help-box">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([key, what]) => (
            <div key={key + what}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <button type="button" ref={button} onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}
