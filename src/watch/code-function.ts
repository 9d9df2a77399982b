/** A function of an image, where it is in what is watched. */
import { basename } from 'node:path';
import type { ImageFunction } from '../debugger/image-functions.ts';
import type { LoadedImage } from '../debugger/loaded-images.ts';
import type { CodeFunction } from './debug-target.ts';

export function codeFunction(
  { image, bias }: LoadedImage,
  { name, start, end }: ImageFunction,
): CodeFunction {
  const module = basename(image.path);
  return { name, module, start: bias + BigInt(start), end: bias + BigInt(end) };
}
