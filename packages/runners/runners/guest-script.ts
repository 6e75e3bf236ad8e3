import { CONFIGURATION_KEY } from './registration.ts';

/** Of the Pod's one volume; the agent shares it with the guest under this name. */
export const VOLUME = 'runner';

/**
 * Runs in the guest. The configuration goes from the shared folder into the environment of the runner alone, which takes it out of
 * there before a job starts: it stands in no argument list, on the host in no environment, and in no log. Without the other variable
 * run.sh ends at SIGTERM and leaves the runner behind, with its job.
 */
export const GUEST_SCRIPT = `set -eu
configuration=$(cat '/Volumes/My Shared Files/${VOLUME}/${CONFIGURATION_KEY}')
export ACTIONS_RUNNER_INPUT_JITCONFIG="$configuration"
cd "$HOME/actions-runner"
export RUNNER_MANUALLY_TRAP_SIG=1
exec ./run.sh --disableupdate
`;
