/** The findings for other programs: `deadheat doctor --json FILE`. */
import type { Examined } from './doctor.ts';
import type { Status } from './probe.ts';

export interface DoctorJson {
  schema: 1;
  probes: {
    name: string;
    usedBy: string;
    needed: string;
    essential: boolean;
    status: Status;
    found: string;
    remedy?: string;
  }[];
}

export function toJson(examined: readonly Examined[]): DoctorJson {
  return {
    schema: 1,
    probes: examined.map(({ probe, finding }) => ({
      name: probe.name,
      usedBy: probe.usedBy,
      needed: probe.needed,
      essential: probe.essential ?? false,
      ...finding,
    })),
  };
}
