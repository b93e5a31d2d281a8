// Where packets go, by cluster and slice.
#include "mem/routing.h"

#include <gtest/gtest.h>

#include "mem/address_map.h"

namespace heddle::mem {
namespace {

const PacketFormat kFormat{Bytes{32}, Bytes{8}};

TEST(Routing, ARequestGoesToItsSliceAndTheReplyBack) {
  Packet p;
  p.request.cluster = 5;
  p.request.slice = 11;
  p.request.sectors = 0xf;
  address_request(p, kFormat, 4);
  EXPECT_EQ(p.source, port_of_cluster(5));
  EXPECT_EQ(p.destination, port_of_slice(11));
  EXPECT_EQ(p.vc, 11 % 4);
  EXPECT_EQ(p.flits, 1);
  p.request.reply = true;
  const Packet back = reply_packet(p.request, kFormat, 3);
  EXPECT_EQ(back.source, p.destination);
  EXPECT_EQ(back.destination, p.source);
  EXPECT_EQ(back.vc, reply_channel(p.request, 3));
  EXPECT_EQ(back.vc, 5 % 3);
  EXPECT_EQ(back.flits, 5);
}

TEST(Routing, SlicesOfAPartitionFollowEachOther) {
  AddressMapSpec spec;
  spec.partitions = 6;
  spec.slices = 3;
  const AddressMap map(spec);
  for (std::uint32_t s = 0; s < map.slices(); ++s)
    EXPECT_EQ(map.slice_of(map.partition_of(s), map.in_partition(s)), s);
  for (Address a = 0; a < 1 << 16; a += 256) {
    const Location l = map.locate(a);
    EXPECT_EQ(map.partition_of(map.slice(a)), l.partition);
    EXPECT_EQ(map.in_partition(map.slice(a)), l.slice);
  }
}

}  // namespace
}  // namespace heddle::mem
