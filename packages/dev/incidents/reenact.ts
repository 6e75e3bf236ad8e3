import type { Incident } from './incident.ts';
import { openOldWayEnv } from './old-way-env.ts';
import { openOurWayEnv } from './our-way-env.ts';

/** One run of an incident on the simulated world. */
interface Reenactment {
  readonly output: string;
  /** True if the output is the documented failure (old way) or the required result (our way). */
  readonly matches: boolean;
  /** Requests that the world does not model. There must be none. */
  readonly gaps: readonly string[];
}

type WithOldWay = Incident & Required<Pick<Incident, 'oldWay'>>;
type WithOurWay = WithOldWay & Required<Pick<Incident, 'ourWay'>>;

export const hasOldWay = (incident: Incident): incident is WithOldWay => incident.oldWay !== undefined;
export const hasOurWay = (incident: Incident): incident is WithOurWay =>
  hasOldWay(incident) && incident.ourWay !== undefined;

/** Runs the operators' original procedure in a new environment. */
export async function runOldWay({ oldWay }: WithOldWay): Promise<Reenactment> {
  const env = await openOldWayEnv();
  try {
    const output = (await oldWay.run(env)).trim();
    const gaps = env.surroundings.journal.gaps.map(({ detail }) => detail);
    return { output, matches: oldWay.symptom.test(output), gaps };
  } finally {
    await env.close();
  }
}

/** Lets Minifleet handle the incident in a new environment. */
export async function runOurWay({ oldWay, ourWay }: WithOurWay): Promise<Reenactment> {
  const env = await openOurWayEnv(oldWay, ourWay.mac);
  try {
    const output = await ourWay.run(env);
    const gaps = env.gaps();
    return { output, gaps, matches: ourWay.result.test(output) && gaps.length === 0 };
  } finally {
    await env.close();
  }
}

/** Three lines per incident: title, procedure, failure. */
export function describeOldWay({ id, title, oldWay }: WithOldWay, { output, matches }: Reenactment): string {
  const line = output.split('\n').find(text => oldWay.symptom.test(text)) ?? output;
  const text = line.replaceAll(/\s+/g, ' ').trim();
  // The end of a long output names the failure.
  const short = text.length > 160 ? `…${text.slice(-160)}` : text;
  return `${id} ${title}
    original procedure: ${oldWay.procedure}
    ${matches ? 'fails with' : 'DOES NOT FAIL'}: ${short}`;
}

/** Three lines per incident: title, procedure, result. */
export function describeOurWay({ id, title, ourWay }: WithOurWay, { output, matches, gaps }: Reenactment): string {
  const text = [output, ...gaps.map(gap => `(not modelled: ${gap})`)].join(' ').replaceAll(/\s+/g, ' ').trim();
  // The output begins with the differences found, which are long, and ends with the result.
  const short =
    text.length > LONGEST && matches ? `${text.slice(0, BEGINNING)} … ${text.slice(BEGINNING - LONGEST)}` : text;
  return `${id} ${title}
    with Minifleet: ${ourWay.procedure}
    ${matches ? 'result' : `EXPECTED ${ourWay.expected}, RESULT`}: ${short}`;
}

const LONGEST = 480;
const BEGINNING = 160;
