#!/usr/bin/perl
# A program of the simulated Mac, called by a real process: hands over argv, directory, environment and standard input,
# and gives back output and exit code. Called by a link in the Mac's real folder; the socket is beside the link's target.
# Perl, for this runs at each command of an agent: it takes a seventh of the time Node takes, and every Debian has it.
use strict;
use Socket;

(my $path = readlink($0) || $0) =~ s/[^\/]*$/.mac.sock/;
$SIG{PIPE} = 'IGNORE';
socket(my $mac, AF_UNIX, SOCK_STREAM, 0) or die "$0: $!\n";
connect($mac, sockaddr_un($path)) or die "$0: the Mac is down ($!)\n";
my $directory = readlink('/proc/self/cwd') || $ENV{PWD} || '/';
my @environment = map { "$_=$ENV{$_}" } keys %ENV;
send_frame('C', join("\0", scalar(@ARGV) + 1, $0, @ARGV, $directory, @environment));

my ($input, $received) = (1, '');
while (1) {
  my $wanted = '';
  vec($wanted, fileno($mac), 1) = 1;
  vec($wanted, fileno(STDIN), 1) = 1 if $input;
  select($wanted, undef, undef, undef) > 0 or next;
  $input = pass_input() if $input && vec($wanted, fileno(STDIN), 1);
  next unless vec($wanted, fileno($mac), 1);
  # Whoever pulls the plug leaves no exit code: the command was killed.
  sysread($mac, $received, 65536, length $received) or exit 137;
  while (length $received >= 5) {
    my ($kind, $length) = unpack('aN', $received);
    last if length $received < 5 + $length;
    my $content = substr($received, 5, $length);
    substr($received, 0, 5 + $length) = '';
    exit $content if $kind eq 'X';
    write_all($kind eq 'O' ? \*STDOUT : \*STDERR, $content) or exit 141;
  }
}

# False at the end of input, and when the program no longer reads: its exit code is still to come then.
sub pass_input {
  my $count = sysread(STDIN, my $chunk, 65536);
  return send_frame('I', $chunk) if $count;
  send_frame('E', '');
  return 0;
}

sub send_frame { my ($kind, $content) = @_; return write_all($mac, pack('aN', $kind, length $content) . $content) }

sub write_all {
  my ($to, $content) = @_;
  for (my $at = 0; $at < length $content;) {
    my $count = syswrite($to, $content, length($content) - $at, $at);
    if (defined $count) { $at += $count }
    elsif (!$!{EINTR} && !$!{EAGAIN}) { return 0 }
  }
  return 1;
}
