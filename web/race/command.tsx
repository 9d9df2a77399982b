import { useState } from 'preact/hooks';
import { Code } from '../text.tsx';

/** A command to be typed, or copied. */
export function Command({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  // Browsers do not let every page have the clipboard; then there is the text.
  const copy = (): void => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <span class="command">
      <Code text={text} />{' '}
      <button type="button" class="plain" onClick={copy}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </span>
  );
}
