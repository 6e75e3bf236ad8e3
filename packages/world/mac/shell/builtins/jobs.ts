import { sendSignals } from '../../unix/kill.ts';
import type { Builtin } from './call.ts';

/** Waits for what this shell started with `&`. */
export const wait: Builtin = async ({ scope }) => {
  await Promise.all(scope.state.background);
  return 0;
};

/** zsh and bash have their own kill with their own words. */
export const kill: Builtin = ({ scope: { state, streams }, argv }) => {
  const zsh = state.flavour.name === 'zsh';
  const prefix = zsh ? `${state.name}:kill:${state.line}: ` : `${state.flavour.prefix(state.name, state.line)}kill: `;
  return sendSignals({ mac: state.mac, user: state.user }, argv, {
    err: text => streams.err.write(text),
    complain: (pid, words) =>
      zsh ? `${prefix}kill ${pid} failed: ${words.toLowerCase()}\n` : `${prefix}(${pid}) - ${words}\n`,
  });
};
