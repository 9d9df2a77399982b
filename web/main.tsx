/** Where the page begins: reads what was put into it, and shows it. */
import { render } from 'preact';
import { App } from './app.tsx';
import { readData } from './read-data.ts';

const place = document.getElementById('page')!;
readData(document).then(
  (data) => {
    place.textContent = '';
    render(<App data={data} />, place);
    document.documentElement.dataset.ready = 'yes';
  },
  (error: unknown) => {
    place.textContent = `This report is damaged (${error}); make it again with deadheat report --html.`;
  },
);
