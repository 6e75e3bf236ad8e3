/**
 * For `pgrep -f`: what Tart and the tools around it must not be replaced under. A push reads its VM for minutes, and a bake calls Packer
 * and Tart again and again; a job that has not come to that yet will.
 */
export const WORK_ON_HOST = '(^|/)(tart (run|push)|packer build|Runner\\.Worker)( |$)';
