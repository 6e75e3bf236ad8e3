import { effectWords } from './blow.ts';
import { blowPage } from './blow-page.ts';

const INTRODUCTION = `# The provider, killed

The whole provider, with an API server, a vendor and Macs that outlive it, is struck once at one of its effects:

- *killed before*, *killed after*: the process dies before the effect, or after it without having heard the answer; another one is started
- *refused*: the effect is not had. The API server answers 409 (or breaks the connection if the write is a create), the vendor 5xx, a host resets the connection
- *answer lost*: the effect is had, and the process hears that the connection broke
- *another is faster*: a second provider runs beside it, because the first does not know that it is no longer the leader; the effect comes only when the second has done everything

Effects are its writes to the API server (events apart), its calls of the vendor, and the first and the last command of each job on a host; what is between them
is in [killed-anywhere.md](killed-anywhere.md). What stands for the agent asks for its certificates with the token that lies on the Mac, and registers its Node.

A blow is survived when the life goes on to its end and, at every moment: each host is in its pool, held or quarantined; no two machines name one host; no two
Nodes carry one providerID; nobody changes a host that another machine holds; the VM that runs on a host is not ended. And at the end: no machine holds two
hosts, nobody who is gone holds one, no Node and no token is left behind.

What nobody can survive is not here: a vendor’s write that a provider sent, and that arrives only after the host was given back and taken by another machine.
The vendor has no conditional writes. The provider checks the claim right before each such write and corrects the name after it.

Written by \`npm run proofs -- provider-killed\`; a test repeats a part of the blows and every other trouble, and fails when a life has other effects than this page.
`;

export const { page: killedPage, effectsOf } = blowPage({ introduction: INTRODUCTION, effectWords });
