import { type Builtin, unmodelledFlag } from './call.ts';

/** `trap command EXIT`; traps of signals are kept but nothing sends a shell of ours a signal it could catch. */
export const trap: Builtin = call => {
  const { traps } = call.scope.state;
  const [, action, ...signals] = call.argv;
  if (action === undefined) return 0;
  if (/^-[lp]/.test(action)) return unmodelledFlag(call, action);
  for (const signal of signals) {
    const name = signal === '0' ? 'EXIT' : signal.replace(/^SIG/, '');
    if (action === '-') traps.delete(name);
    else traps.set(name, action);
  }
  return 0;
};
