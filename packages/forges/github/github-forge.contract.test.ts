import { testForge } from '../testing/forge.contract.ts';
import { startGithubBench } from './testing/github-bench.ts';

testForge({ name: 'GitHub', open: () => startGithubBench() });
