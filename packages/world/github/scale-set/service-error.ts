import { ApiError } from '../rest/api-error.ts';

/**
 * An error of the Actions service, which clients tell apart by a part of `typeName`. The exceptions of facts §6.3 are
 * the service's; the others (a set's name taken, a set with running jobs, an unknown session) are derived.
 */
export class ServiceError extends ApiError {
  readonly #typeName: string;

  constructor(status: number, exception: string, message: string) {
    super(status, message);
    this.#typeName = `GitHub.Actions.Runtime.WebApi.${exception}, GitHub.Actions.Runtime.WebApi`;
  }

  override get body(): Record<string, unknown> {
    return { typeName: this.#typeName, message: this.message };
  }
}

export const setNotFound = (id: number): ServiceError =>
  new ServiceError(404, 'RunnerScaleSetNotFoundException', `No runner scale set found with identifier ${id}.`);
