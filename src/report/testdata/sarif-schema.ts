/**
 * The official JSON Schema of SARIF 2.1.0 (OASIS; the copy that Microsoft's SARIF SDK ships), as
 * a check that says what is wrong, or nothing. It is written in draft 4 but uses nothing that
 * draft 7 reads differently, except for where its own name stands.
 */
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

const {
  $schema: _draft,
  id: _name,
  ...schema
} = createRequire(import.meta.url)(
  '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
) as Record<string, unknown>;

const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const validate = ajv.compile(schema);

export function sarifErrors(sarif: string): string[] {
  if (validate(JSON.parse(sarif))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
