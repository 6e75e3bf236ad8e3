import type { CliOutput } from '@minifleet/cli';
import { lineWidth, renderTable } from '@minifleet/cli/terminal';
import { isLive } from '../incidents/incident.ts';
import { hostFaults, incidents } from '../incidents/incidents.ts';

/** Renders the table of `minifleet break` without arguments. */
export function listIncidents(output: CliOutput): string {
  const injectable = hostFaults.map(({ id, fleets, fault, expected }) => ({
    cells: [{ text: id }, { text: fleets.join(',') }],
    paragraphs: [`${fault} → ${expected}`],
  }));
  const others = incidents.flatMap(({ id }) => {
    const why = whyNotOnHosts(id);
    return why === undefined ? [] : [{ cells: [{ text: id }, { text: 'none' }], paragraphs: [why] }];
  });
  const table = renderTable({
    titles: ['INCIDENT', 'FLEETS', 'FAULT → EXPECTED REACTION'],
    rows: [...injectable, ...others],
    width: lineWidth(output),
  });
  return `${table}\nminifleet break I19 injects one of them, and minifleet watch shows the reaction.\n`;
}

/** The reason why an incident cannot be injected into a host, and its test; undefined for all others. */
export function whyNotOnHosts(incident: string): string | undefined {
  const found = incidents.find(({ id }) => id === incident.toUpperCase());
  return found && !isLive(found.live) ? `${found.live.notOnHosts} Covered by ${found.coveredBy}` : undefined;
}
