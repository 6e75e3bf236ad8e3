import { busy, type Label, type Runner } from '../../runners/runner.ts';

export const labelView = ({ id, name, type }: Label): Record<string, unknown> => ({ id, name, type });

export const runnerView = (runner: Runner): Record<string, unknown> => ({
  id: runner.id,
  runner_group_id: runner.groupId,
  name: runner.name,
  os: runner.os,
  status: runner.online ? 'online' : 'offline',
  busy: busy(runner),
  ephemeral: runner.ephemeral,
  version: runner.version ?? null,
  labels: runner.labels.map(labelView),
});
