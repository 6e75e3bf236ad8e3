import { Secret } from '@minifleet/secret';
import { wanted } from '../../engine/step.ts';
import { autoLogin } from '../../steps/auto-login/auto-login.ts';
import { isSealed } from '../../steps/auto-login/password.ts';
import { sudo } from '../../steps/sudo/sudo.ts';
import { agentIn } from './agent.ts';
import type { OurScene, OurWay } from './our-way.ts';
import { outcomeOf, tracesOf } from './words-of.ts';

const RIGHT = 'correct horse';
const QUOTED = "don't tell";

const login = (password: string) => wanted(autoLogin, { user: 'm1', password: new Secret('password', password) });
const grant = (password: string) => wanted(sudo, { user: 'm1', password: new Secret('password', password) });

async function stateOf({ mac }: OurScene): Promise<string> {
  const sealed = isSealed(mac.read('/etc/kcpassword')) ? 'kcpassword is <sealed>' : 'kcpassword is kept';
  const { out } = await mac.run('sudo launchctl print gui/501 || true');
  return `${sealed}, ${/session = Aqua/.test(out) ? 'an Aqua session' : 'no Aqua session'}`;
}

/** What may not change when a password is refused. */
async function untouched({ mac }: OurScene): Promise<string> {
  const { out } = await mac.run('ls -ldn /etc/kcpassword /etc/sudoers.d/m1-nopasswd && launchctl managername');
  return `${out}${mac.read('/etc/kcpassword').toString('hex')}`;
}

const sudoTries = (scene: OurScene): number =>
  scene.happened().filter(({ what, detail }) => what === 'command' && detail.includes('sudo -k -S')).length;

/** What the incidents with passwords and the login window come to, done our way. */
export const loginOurWay: readonly OurWay[] = [
  {
    id: 'I06',
    title: 'a wrong password is encoded for auto-login, and the bootstrap is green',
    row: 'bootstrap fails naming the password as the cause',
    did: 'checked the password before writing it, looked again after the login window restarted',
    seen: /^HOST_PASSWORD_WRONG: the given password is not that of m1 .*; with the right one: converged, kcpassword is kept, an Aqua session$/,
    async run(scene) {
      await scene.oldWay('I06');
      const stale = await outcomeOf(scene, login('last weeks password'));
      const right = await outcomeOf(scene, login(RIGHT));
      return `${stale}; with the right one: ${right}, ${await stateOf(scene)}`;
    },
  },
  {
    id: 'I07',
    title: 'the prepare script with a mistyped password on a host that already has sudoers',
    row: 'exits non-zero, says the password is wrong, host left as it was',
    did: 'checked the password although sudo needed none, on the host once it was repaired',
    seen: /^repaired: converged; HOST_PASSWORD_WRONG: .*nothing was written.*; host left as it was: kcpassword is kept, an Aqua session$/,
    async run(scene) {
      await scene.oldWay('I07');
      const repaired = await outcomeOf(scene, grant(RIGHT), login(RIGHT));
      const before = await untouched(scene);
      const mistyped = await outcomeOf(scene, grant('corect horse'), login('corect horse'));
      const left = before === (await untouched(scene)) ? 'as it was' : 'otherwise';
      return `repaired: ${repaired}; ${mistyped}; host left ${left}: ${await stateOf(scene)}`;
    },
  },
  {
    id: 'I08',
    title: 'the login window is gone after SIGHUP',
    row: 'restarted through launchd, dead or alive',
    did: 'restarted it through launchd’s registry, which knows it dead or alive',
    seen: /^dead: restarted the login window, an Aqua session; alive: restarted the login window, an Aqua session$/,
    async run(scene) {
      await scene.oldWay('I08');
      const dead = await loggedIn(scene);
      const fresh = await scene.another();
      return `dead: ${dead}; alive: ${await loggedIn(fresh)}`;
    },
  },
  {
    id: 'I14',
    title: 'a password in a remote command line breaks its quoting',
    row: 'key transport only; refusal prints the way to recover',
    did: 'logged in with the key, gave the password on standard input, quote and all',
    mac: { passwordlessSudo: false, password: QUOTED },
    seen: /^converged; the password is in 0 of [1-9]\d* traces$/,
    async run(scene) {
      await scene.oldWay('I14');
      const before = scene.happened().length;
      const outcome = await outcomeOf(scene, grant(QUOTED));
      const texts = scene.happened().slice(before);
      const told = texts.map(({ what, detail }) => `${what} ${detail}`);
      return `${outcome}; the password is in ${tracesOf(QUOTED, [outcome, ...told])}`;
    },
  },
  {
    id: 'I34',
    title: 'a stale sudo password is tried again and again',
    row: 'never guessed; one try, then a named wait',
    did: 'asked whether the account is locked before trying even the right password',
    mac: { passwordlessSudo: false },
    seen: /^while locked: HOST_ACCOUNT_LOCKED: .*look again in 15m.*, 0 tries; then: converged, 1 try; a stale one: HOST_SUDO_PASSWORD_WRONG: .*, 1 try$/,
    async run(scene) {
      await scene.oldWay('I34');
      const locked = await tried(scene, RIGHT);
      await scene.mac.run('sleep 900');
      const later = await tried(scene, RIGHT);
      const fresh = await scene.another();
      return `while locked: ${locked}; then: ${later}; a stale one: ${await tried(fresh, 'stale')}`;
    },
  },
  {
    id: 'I35',
    title: '/usr/local/bin is missing on a fresh image',
    row: 'made by whoever needs it',
    did: 'had the step that needs the folder make it',
    seen: /^converged; \/usr\/local\/bin\/tart-kubelet is there$/,
    async run(scene) {
      await scene.oldWay('I35');
      const outcome = await outcomeOf(scene, ...agentIn('version 1'));
      const { code } = await scene.mac.run('test -x /usr/local/bin/tart-kubelet');
      return `${outcome}; /usr/local/bin/tart-kubelet is ${code === 0 ? 'there' : 'missing'}`;
    },
  },
];

async function loggedIn(scene: OurScene): Promise<string> {
  const { notes } = await scene.converge(login(RIGHT));
  const restarted = notes.find(note => note.includes('login window')) ?? 'left the login window alone';
  return `${restarted}, ${(await stateOf(scene)).split(', ')[1]}`;
}

async function tried(scene: OurScene, password: string): Promise<string> {
  const before = sudoTries(scene);
  const outcome = await outcomeOf(scene, grant(password));
  const count = sudoTries(scene) - before;
  return `${outcome}, ${count} ${count === 1 ? 'try' : 'tries'}`;
}
