import { blowPage } from '@minifleet/provider/testing/faults/blow-page';
import { effectWords } from './blow.ts';

const INTRODUCTION = `# The runners program, killed

The program that makes runners, with an API server, a forge, jobs and Macs that outlive it, is struck once at one of its effects:

- *killed before*, *killed after*: the process dies before the effect, or after it without having heard the answer; another one is started
- *refused*: the effect is not had. The API server answers 409 (or breaks the connection if the write is a create), the forge 5xx
- *answer lost*: the effect is had, and the process hears that it failed
- *another is faster*: a second program runs beside it, because the first does not know that it is no longer the leader; the effect comes only when the second has done everything

Effects are its writes to the API server (events apart) and its calls of the forge. Jobs take a minute; the forge gives them to the runner that is online
longest, which is the one a smaller pool gives up first, and believes for ten minutes in the job of a runner that is gone.

A blow is survived when the life goes on to its end and, at every moment: no runner takes two jobs; no job is begun twice; no Pod is deleted by us while its VM
has a job; none is made beyond what its pool wants; no VM is started with a registration that is gone; the configuration that a runner is started with is in
the data of its Secret and nowhere else. And at the end: the pool has as many runners as it wants; of every other neither Pod nor Secret nor registration is
left, unless the forge does not release the registration and the pool reports it; every end is recorded once; and no log line and no event contains the
configuration of a runner.

Two programs at once may both fill a place, and both register a runner, so that the VM of one is started without effect. In that case
those two invariants are not checked on the way. The surplus runners are removed, and nothing is left.

Written by \`npm run proofs -- runners-killed\`; a test repeats a part of the blows and every other trouble, and fails when a life has other effects than this page.
`;

export const { page: killedPage, effectsOf } = blowPage({ introduction: INTRODUCTION, effectWords });
