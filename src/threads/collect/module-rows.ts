/** The images of a run, each with one row however many processes have it, and which of them a process has. */
import type { AgentModule, AgentRecord } from '../../linux/agent-channel.ts';
import type { TraceTables } from '../model/tables.ts';
import { type LoadedModule, SiteRows } from './site-rows.ts';
import type { DescribeModule, TracedModule } from './traced-module.ts';

export class ModuleRows {
  readonly #tables: TraceTables;
  readonly #loaded = new Map<number, readonly LoadedModule[]>();
  readonly #known = new Map<string, { readonly traced: TracedModule; readonly row: number }>();
  readonly #sites = new Map<string, number>();

  constructor(tables: TraceTables, records: readonly AgentRecord[], describe: DescribeModule) {
    this.#tables = tables;
    const executables = new Map<number, string>();
    for (const record of records) {
      if (record.kind === 'hello') {
        executables.set(record.process, record.path);
        // A forked process has what its parent had.
        const inherited = this.#of(record.parentProcess ?? record.process);
        this.#loaded.set(record.process, inherited);
      } else if (record.kind === 'module') {
        // The loader has no name for the executable.
        const path = record.path === '' ? executables.get(record.process) : undefined;
        const named = path === undefined ? record : { ...record, path };
        const module = { record: named, ...this.#describe(named, describe) };
        this.#loaded.set(record.process, [...this.#of(record.process), module]);
      }
    }
  }

  sitesOf(process: number): SiteRows {
    return new SiteRows(this.#tables, this.#of(process), this.#sites);
  }

  #of(process: number): readonly LoadedModule[] {
    return this.#loaded.get(process) ?? [];
  }

  #describe(record: AgentModule, describe: DescribeModule): { traced: TracedModule; row: number } {
    const name = `${record.buildId} ${record.path}`;
    const known = this.#known.get(name);
    if (known) return known;
    const { path, buildId, patched } = record;
    const traced = describe(record);
    const row = this.#tables.modules.add({ path, buildId, functionsTraced: patched });
    for (const { reason, functions } of traced.skipped) {
      this.#tables.skipped.add({ module: row, reason, functions });
    }
    this.#known.set(name, { traced, row });
    return { traced, row };
  }
}
