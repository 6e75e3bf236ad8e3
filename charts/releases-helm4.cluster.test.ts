import { releasesWith } from './testing/releases.contract.ts';

releasesWith('helm');
