# Sends a datagram to so many addresses of the /64 that an IPv6 address is in: flood.pl ADDRESS COUNT.
use strict;
use warnings;
use Socket qw(AF_INET6 SOCK_DGRAM inet_pton pack_sockaddr_in6);

my ($address, $count) = @ARGV;
my $network = substr inet_pton(AF_INET6, $address), 0, 8;
socket(my $socket, AF_INET6, SOCK_DGRAM, 0) or die "socket: $!";
my $sent = 0;
for my $number (1 .. $count) {
    my $to = pack_sockaddr_in6(9, $network . pack('NN', 0xfeed, $number));
    $sent++ if defined send($socket, 'x', 0, $to);
    # What is not found is told of at the next call, which is not one to be counted.
    select undef, undef, undef, 0.01 if $number % 100 == 0;
}
print "$sent\n";
