/** Whether the page is being printed: then everything is unfolded, and every race is there. */
import { options } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(() => matchMedia('print').matches);
  useEffect(() => {
    const change = (value: boolean) => (): void => {
      // The browser takes its picture as soon as the event is over.
      const usual = options.debounceRendering;
      options.debounceRendering = (draw) => draw();
      setPrinting(value);
      if (usual) options.debounceRendering = usual;
      else delete options.debounceRendering;
    };
    const [before, after] = [change(true), change(false)];
    const media = matchMedia('print');
    const onMedia = (): void => change(media.matches)();
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    media.addEventListener('change', onMedia);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
      media.removeEventListener('change', onMedia);
    };
  }, []);
  return isPrinting;
}
