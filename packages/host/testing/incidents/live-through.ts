import { openOurScene } from './open-our-scene.ts';
import type { OurWay } from './our-way.ts';

interface LivedThrough {
  readonly incident: OurWay;
  readonly said: string;
  /** Whether what must be seen was seen. */
  readonly holds: boolean;
  /** What the world was asked for and does not model: there must be nothing. */
  readonly gaps: readonly string[];
}

/** Does one incident our way, in a scene of its own. */
export async function liveThrough(incident: OurWay): Promise<LivedThrough> {
  const scene = await openOurScene(incident.mac);
  try {
    const said = await incident.run(scene);
    const gaps = scene.journal.gaps.map(({ detail }) => detail);
    return { incident, said, gaps, holds: incident.seen.test(said) && gaps.length === 0 };
  } finally {
    await scene.close();
  }
}

/** Three lines an incident: what it is, what was done, what was seen. */
export function describeOurWay({ incident, said, holds, gaps }: LivedThrough): string {
  const seen = [said, ...gaps.map(gap => `(not modelled: ${gap})`)].join(' ').replaceAll(/\s+/g, ' ').trim();
  // It begins with what was found and ends with what came of it; what was found is mostly long.
  const short =
    seen.length > LONGEST && holds ? `${seen.slice(0, BEGINNING)} … ${seen.slice(BEGINNING - LONGEST)}` : seen;
  return `${incident.id} ${incident.title}
    done our way: ${incident.did}
    ${holds ? 'seen' : `EXPECTED ${incident.row}, SEEN`}: ${short}`;
}

const LONGEST = 480;
const BEGINNING = 160;
