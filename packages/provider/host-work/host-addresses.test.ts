import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passTime, testHost } from '@minifleet/host/testing';
import { hostAddresses } from './host-addresses.ts';

const PRINTED = `lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384
	inet 127.0.0.1 netmask 0xff000000
	inet6 ::1 prefixlen 128
	inet6 fe80::1%lo0 prefixlen 64 scopeid 0x1
en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	ether 4c:20:b8:aa:bb:cc
	inet6 fe80::1c2d:3e4f:5061:7283%en0 prefixlen 64 secured scopeid 0x4
	inet 203.0.113.7 netmask 0xffffff00 broadcast 203.0.113.255
	inet6 2001:db8::7 prefixlen 64 autoconf secured
	status: active
en1: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	inet 169.254.10.20 netmask 0xffff0000
vlan0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	inet 172.16.4.9 netmask 0xfffffc00 broadcast 172.16.7.255
bridge100: flags=8a63<UP,BROADCAST,SMART,RUNNING,ALLMULTI,SIMPLEX,MULTICAST> mtu 1500
	inet 192.168.64.1 netmask 0xffffff00 broadcast 192.168.64.255
utun4: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1280
	inet 100.101.102.103 --> 100.101.102.103 netmask 0xffffffff
`;

test('a host’s own addresses are those of its networks, without loopback, link-local ones and those of its guests', () => {
  assert.deepEqual(hostAddresses(PRINTED), ['203.0.113.7', '2001:db8::7', '172.16.4.9', '100.101.102.103']);
});

test('words that are no list of interfaces give no address', () => {
  for (const words of ['', 'ifconfig: permission denied', 'en0: flags=1\n\tinet not-an-address netmask 0x0'])
    assert.deepEqual(hostAddresses(words), []);
});

test('a Mac of the world says its address', async () => {
  const { host, clock } = testHost({ address: '203.0.113.9' });
  const { stdout } = await passTime(clock, host.query(['/sbin/ifconfig', '-a']));
  assert.deepEqual(hostAddresses(stdout), ['203.0.113.9']);
});
