import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeBlob } from '../../binary/rewrite/blob.ts';
import { rewriteImage } from '../../binary/rewrite/rewrite.ts';
import { assembledImage } from '../../binary/testdata/assembled.ts';
import { scratchFolder } from '../../binary/testdata/compiled.ts';
import { describeModules } from './traced-module-file.ts';

it('knows how much is touched at each site, whether loops are told as a whole or not', () => {
  const folder = scratchFolder();
  const elf = assembledImage({
    f: '1: mov al,[rdi]\nmov [rsi],rcx\nadd rsi,8\ninc rdi\ndec rcx\njne 1b\nmov [rdx],ax\nret',
  });
  const sizesAt = (hoistsLoops: boolean): Map<number, number> => {
    const { blob } = rewriteImage(elf, { logs: true, hoistsLoops });
    writeFileSync(join(folder, 'abcd'), encodeBlob(blob));
    const { sites, siteSizes } = describeModules(folder)({
      ...{ kind: 'module', process: 1, siteBase: 0, loadBase: 0, blobBase: 0 },
      ...{ patched: 1, refused: 0, buildId: 'abcd', path: join(folder, 'not-there') },
    });
    return new Map([...sites].map((address, site) => [address, siteSizes[site]!]));
  };
  const [whole, each] = [sizesAt(true), sizesAt(false)];
  const inOrder = [...each].sort(([one], [other]) => one - other);
  expect(inOrder.map(([, size]) => size)).toEqual([1, 8, 2]);
  expect(whole).toEqual(each);
});
