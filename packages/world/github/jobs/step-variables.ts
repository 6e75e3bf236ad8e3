/** What a step is told of its job. */
export interface StepPlace {
  readonly repository: string;
  readonly runId: number;
  readonly job: string;
  readonly runner: string;
  readonly workspace: string;
  readonly temp: string;
}

/** Of GitHub's default variables those that tools look for to know that they are in CI (GitHub's documentation). */
export const stepVariables = ({
  repository,
  runId,
  job,
  runner,
  workspace,
  temp,
}: StepPlace): Record<string, string> => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_JOB: job,
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: String(runId),
  GITHUB_WORKSPACE: workspace,
  RUNNER_ARCH: 'ARM64',
  RUNNER_NAME: runner,
  RUNNER_OS: 'macOS',
  RUNNER_TEMP: temp,
});

/** Where a repository is checked out: `<work folder>/<name>/<name>`. */
export const workspaceOf = (workFolder: string, repository: string): string => {
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  return `${workFolder}/${name}/${name}`;
};
