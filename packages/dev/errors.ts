/** Errors of `up`, `down` and `env`. */
import { defineError } from '@minifleet/errors';

export const MINIFLEET_INSTALLED = defineError('MINIFLEET_INSTALLED', {
  retry: 'operator',
  reason: 'MinifleetInstalled',
  text: 'the cluster already has Minifleet (namespace {namespace}), which must not manage simulated Macs; use another cluster, or none to start one',
});

export const ALREADY_UP = defineError('ALREADY_UP', {
  retry: 'operator',
  reason: 'AlreadyUp',
  text: 'minifleet up already runs (process {pid}, {kubeconfig}); use it, or stop it with minifleet down',
});

export const NOT_UP = defineError('NOT_UP', {
  retry: 'operator',
  reason: 'NotUp',
  text: 'no minifleet up is running; start one with minifleet up --detach',
});

export const UP_ENDED = defineError('UP_ENDED', {
  retry: 'operator',
  reason: 'UpEnded',
  text: 'minifleet up ended before it was ready (exit code {code}); its output is above and in {logFile}',
});

export const DOWN_TIMED_OUT = defineError('DOWN_TIMED_OUT', {
  retry: 'operator',
  reason: 'DownTimedOut',
  text: 'process {pid} has not stopped after {timeout}; check its terminal, or {logFile} after a start with --detach; or end it with kill -9 {pid}, and its watchdog removes the rest',
});
