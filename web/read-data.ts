/** The data of the page, as src/report/html/html.ts has packed it. */
import { DATA_ELEMENT, PACKED_TYPE, type PageData } from '../src/report/html/page-data.ts';

export async function readData(from: Document): Promise<PageData> {
  const element = from.getElementById(DATA_ELEMENT) as HTMLScriptElement;
  const text = element.textContent ?? '';
  const json = element.type === PACKED_TYPE ? await unpacked(text) : text;
  // It is in memory twice otherwise.
  element.remove();
  return JSON.parse(json) as PageData;
}

async function unpacked(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return await new Response(plain).text();
}
