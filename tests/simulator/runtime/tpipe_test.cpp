// TPipe, TQue and TBuf: the buffer state machine and every way to misuse it.
#include "bench.h"

using namespace bench;
using akrt::Role;

namespace {

constexpr auto kGM = static_cast<uint8_t>(akrt::Position::GM);
constexpr auto kVecIn = static_cast<uint8_t>(akrt::Position::VECIN);
constexpr auto kVecOut = static_cast<uint8_t>(akrt::Position::VECOUT);
constexpr auto kVecCalc = static_cast<uint8_t>(akrt::Position::VECCALC);

int32_t in_queue(int64_t num, int64_t len, int32_t depth = 1) {
  return akrt_init_queue(-1, kGM, kVecIn, kVecIn, depth, num, len, at(10));
}
int32_t out_queue(int64_t num, int64_t len, int32_t depth = 1) {
  return akrt_init_queue(-1, kVecOut, kGM, kVecOut, depth, num, len, at(11));
}

// Runs a program inside one TPipe.
template <typename F>
void piped(Bench& b, F&& body) {
  b.run([&] {
    akrt_pipe_create(at(1));
    body();
    akrt_pipe_destroy(true, at(2));
  });
}

}  // namespace

TEST(double_buffered_loop_is_clean) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 4096);
  const Global y = b.argument("y", Role::kOut, 4096);
  piped(b, [&] {
    const int32_t in = in_queue(2, 256);
    const int32_t out = out_queue(2, 256);
    for (uint64_t i = 0; i < 16; ++i) {
      Local t = akrt_alloc_tensor(in, at(21));
      load(t, part(x, i * 256, 256), 256);
      akrt_enque(in, t, at(22));
      t = akrt_deque(in, at(23));
      const Local r = akrt_alloc_tensor(out, at(24));
      add(r, t, t, 256);
      akrt_free_tensor(in, t, at(25));
      akrt_enque(out, r, at(26));
      const Local s = akrt_deque(out, at(27));
      store(part(y, i * 256, 256), s, 256);
      akrt_free_tensor(out, s, at(28));
    }
  });
  CHECK_EQ(b.codes(), "");
  CHECK_EQ(int{reinterpret_cast<uint8_t*>(y.addr)[4095]}, 0xfe);
}

TEST(prefetching_loop_with_outstanding_tensors_is_clean) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 1024);
  piped(b, [&] {
    const int32_t in = in_queue(4, 256, 4);
    for (uint64_t i = 0; i < 4; ++i) {
      const Local t = akrt_alloc_tensor(in, at(21));
      load(t, part(x, i * 256, 256), 256);
      akrt_enque(in, t, at(22));
    }
    CHECK_EQ(akrt_queue_count(in, at(3)), 4);
    CHECK(!akrt_queue_idle(in, at(3)));
    CHECK(!akrt_queue_vacant(in, at(3)));
    for (uint32_t i = 0; i < 4; ++i) {
      const Local t = akrt_deque(in, at(23));
      CHECK_EQ(t.addr, i * 256);  // first in, first out
      add(t, t, t, 256);
      akrt_free_tensor(in, t, at(25));
    }
    CHECK(akrt_queue_idle(in, at(3)));
    CHECK(akrt_queue_vacant(in, at(3)));
  });
  CHECK_EQ(b.codes(), "");
}

TEST(buffers_are_laid_out_in_order_and_rounded_to_32_bytes) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(2, 100);
    const int32_t buf = akrt_init_buf(-1, kVecCalc, 33, at(5));
    const Local first = akrt_alloc_tensor(in, at(6));
    CHECK_EQ(first.addr, 0u);
    CHECK_EQ(first.bytes, 128u);
    CHECK_EQ(int{first.position}, int{kVecIn});
    akrt_free_tensor(in, first, at(7));
    const Local t = akrt_buf_get(buf, 0, -1, at(8));
    CHECK_EQ(t.addr, 256u);
    CHECK_EQ(t.bytes, 64u);
    const Local tail = akrt_pop_stack(kVecCalc, at(9));
    CHECK_EQ(tail.addr, 320u);
    CHECK_EQ(tail.addr + tail.bytes, 188416u);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(alloc_without_free_runs_out_of_buffers) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(2, 256);
    for (int i = 0; i < 3; ++i) akrt_alloc_tensor(in, at(21));
  });
  CHECK_EQ(b.codes(), "alloc-no-free-buffer");
  CHECK(contains(b.finding("alloc-no-free-buffer"), "2 buffer(s) are OCCUPIED (AllocTensor), OCCUPIED (AllocTensor)"));
}

TEST(enque_beyond_depth_is_fatal) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(2, 256);
    for (int i = 0; i < 2; ++i) akrt_enque(in, akrt_alloc_tensor(in, at(21)), at(22));
  });
  CHECK_EQ(b.codes(), "queue-full");
}

TEST(deque_of_an_empty_queue_is_fatal) {
  Bench b;
  piped(b, [&] { akrt_deque(in_queue(1, 256), at(23)); });
  CHECK_EQ(b.codes(), "queue-empty");
}

TEST(tensor_of_another_queue_is_refused) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    const int32_t out = out_queue(1, 256);
    akrt_enque(out, akrt_alloc_tensor(in, at(21)), at(22));
  });
  CHECK_EQ(b.codes(), "wrong-queue");
  CHECK(contains(b.finding("wrong-queue"), "belongs to another queue (VECIN)"));
}

TEST(sub_tensor_is_refused) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    akrt_free_tensor(in, part(akrt_alloc_tensor(in, at(21)), 32, 32), at(22));
  });
  CHECK(contains(b.finding("wrong-queue"), "inside one of its buffers, at byte 32"));
}

TEST(tensor_of_a_tbuf_is_refused_by_a_queue) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    const int32_t buf = akrt_init_buf(-1, kVecCalc, 64, at(5));
    akrt_free_tensor(in, akrt_buf_get(buf, 0, -1, at(6)), at(22));
  });
  CHECK(contains(b.finding("wrong-queue"), "belongs to a TBuf"));
}

TEST(double_free_is_reported) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    const Local t = akrt_alloc_tensor(in, at(21));
    akrt_free_tensor(in, t, at(22));
    akrt_free_tensor(in, t, at(23));
  });
  CHECK_EQ(b.codes(), "double-free");
  CHECK(contains(b.finding("double-free"), "\"site\":22,\"other_api\":\"FreeTensor\",\"other_site\":21"));
}

TEST(free_of_an_enqueued_tensor_is_reported) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    const Local t = akrt_alloc_tensor(in, at(21));
    akrt_enque(in, t, at(22));
    akrt_free_tensor(in, t, at(23));
  });
  CHECK(b.has("wrong-buffer-state"));
}

TEST(enque_twice_is_reported) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256, 2);
    const Local t = akrt_alloc_tensor(in, at(21));
    akrt_enque(in, t, at(22));
    akrt_enque(in, t, at(23));
    akrt_free_tensor(in, akrt_deque(in, at(24)), at(25));
  });
  CHECK_EQ(b.codes(), "wrong-buffer-state");
}

TEST(leaks_are_reported_with_the_last_call) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(2, 256);
    akrt_alloc_tensor(in, at(21));
    const Local t = akrt_alloc_tensor(in, at(22));
    akrt_enque(in, t, at(23));
  });
  CHECK_EQ(b.codes(), "tensor-leak tensor-leak flag-left-set");
  CHECK(contains(b.finding("tensor-leak"), "\"site\":20"));
}

TEST(queue_that_was_never_initialised_is_fatal) {
  Bench b;
  piped(b, [&] { akrt_alloc_tensor(-1, at(21)); });
  CHECK_EQ(b.codes(), "queue-not-initialised");
}

TEST(init_buffer_without_tpipe_is_fatal) {
  Bench b;
  b.run([&] { in_queue(1, 256); });
  CHECK_EQ(b.codes(), "no-pipe");
}

TEST(two_living_tpipes_are_reported) {
  Bench b;
  b.run([&] {
    akrt_pipe_create(at(1));
    akrt_pipe_create(at(2));
    akrt_pipe_destroy(true, at(3));
  });
  CHECK_EQ(b.codes(), "two-pipes");
}

TEST(one_tpipe_after_another_is_clean) {
  Bench b;
  b.run([&] {
    for (int i = 0; i < 2; ++i) {
      akrt_pipe_create(at(1));
      const int32_t in = in_queue(1, 150000);
      akrt_free_tensor(in, akrt_alloc_tensor(in, at(2)), at(3));
      akrt_pipe_destroy(true, at(4));
    }
  });
  CHECK_EQ(b.codes(), "");
}

TEST(reset_returns_the_memory) {
  Bench b;
  piped(b, [&] {
    for (int i = 0; i < 3; ++i) {
      const int32_t in = in_queue(1, 150000);
      akrt_free_tensor(in, akrt_alloc_tensor(in, at(2)), at(3));
      akrt_pipe_reset(at(4));
    }
  });
  CHECK_EQ(b.codes(), "");
}

TEST(buffers_beyond_ub_are_reported) {
  Bench b;
  piped(b, [&] {
    in_queue(2, 65536);
    in_queue(1, 65568);
  });
  CHECK_EQ(b.codes(), "ub-overflow");
  CHECK(contains(b.finding("ub-overflow"), "\"allocated\":131072,\"requested\":65568,\"limit\":196608"));
}

TEST(buffers_beyond_ub_end_the_run_where_they_are_used) {
  Bench b;
  bool after_init = false;
  bool after_use = false;
  piped(b, [&] {
    const int32_t fits = in_queue(1, 192 * 1024);
    const int32_t beyond = in_queue(1, 32);
    akrt_free_tensor(fits, akrt_alloc_tensor(fits, at(2)), at(3));
    after_init = true;
    akrt_alloc_tensor(beyond, at(4));
    after_use = true;
  });
  CHECK_EQ(b.codes(), "ub-overflow ub-overflow");
  CHECK(after_init && !after_use);
}

TEST(buffers_beyond_ub_do_not_count_as_used) {
  Bench b;
  uint32_t end = 0;
  piped(b, [&] {
    in_queue(1, 64 * 1024);
    in_queue(1, 160 * 1024);
    end = akrt_pop_stack(kVecCalc, at(2)).addr;
  });
  CHECK_EQ(b.codes(), "ub-overflow");
  CHECK_EQ(end, 64u * 1024);
}

TEST(a_buffer_of_no_bytes_takes_no_place) {
  Bench b;
  bool after = false;
  piped(b, [&] {
    const int32_t none = akrt_init_buf(-1, kVecCalc, 0, at(1));
    const int32_t some = akrt_init_buf(-1, kVecCalc, 64, at(2));
    after = akrt_buf_get(none, 0, -1, at(3)).bytes == 0 && akrt_buf_get(some, 0, -1, at(4)).addr == 0;
  });
  CHECK_EQ(b.codes(), "init-buffer-empty");
  CHECK(after);
}

TEST(empty_buffers_are_reported) {
  for (const auto& [num, len] : {std::pair{0, 256}, std::pair{1, 0}, std::pair{65, 32}}) {
    Bench b;
    piped(b, [&] { in_queue(num, len); });
    CHECK_EQ(b.codes(), "init-buffer-empty");
  }
  Bench b;
  piped(b, [&] { akrt_init_buf(-1, kVecCalc, 0, at(1)); });
  CHECK_EQ(b.codes(), "init-buffer-empty");
}

TEST(more_than_64_buffers_are_reported) {
  Bench b;
  piped(b, [&] {
    in_queue(64, 32);
    akrt_init_buf(-1, kVecCalc, 32, at(5));
  });
  CHECK_EQ(b.codes(), "buffer-count-limit");
}

TEST(ninth_living_tensor_of_a_position_is_reported) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(9, 256, 9);
    std::vector<Local> all;
    for (int i = 0; i < 9; ++i) all.push_back(akrt_alloc_tensor(in, at(21)));
    for (int i = 0; i < 8; ++i) akrt_free_tensor(in, all[static_cast<size_t>(i)], at(22));
  });
  CHECK(b.has("position-live-limit"));
}

TEST(ninth_pending_event_is_fatal) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(9, 256, 9);
    for (int i = 0; i < 9; ++i) akrt_enque(in, akrt_alloc_tensor(in, at(21)), at(22));
  });
  CHECK(b.has("event-ids-exhausted"));
  CHECK(contains(b.finding("event-ids-exhausted"), "MTE2_V"));
}

TEST(free_all_event_gives_the_ids_back) {
  Bench b;
  piped(b, [&] {
    for (int q = 0; q < 3; ++q) {
      const int32_t in = in_queue(8, 256);
      std::vector<Local> all;
      for (int i = 0; i < 8; ++i) all.push_back(akrt_alloc_tensor(in, at(21)));
      for (const Local& t : all) akrt_free_tensor(in, t, at(22));
      akrt_free_all_event(in, at(23));
    }
  });
  CHECK_EQ(b.codes(), "");
}

TEST(in_place_queue_is_clean) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 4096);
  piped(b, [&] {
    const int32_t in = in_queue(2, 256, 0);
    for (uint64_t i = 0; i < 16; ++i) {
      Local t = akrt_alloc_tensor_in_place(in, at(21));
      load(t, part(x, i * 256, 256), 256);
      akrt_enque(in, t, at(22));
      t = akrt_deque_in_place(in, i % 2 == 0 ? t : Local{}, at(23));
      add(t, t, t, 256);
      akrt_free_tensor(in, t, at(24));
    }
  });
  CHECK_EQ(b.codes(), "");
}

TEST(in_place_forms_need_depth_zero) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    akrt_free_tensor(in, akrt_alloc_tensor_in_place(in, at(21)), at(22));
  });
  CHECK_EQ(b.codes(), "wrong-depth");
}

TEST(bound_queue_moves_from_load_to_store) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  const Global y = b.argument("y", Role::kOut, 256);
  piped(b, [&] {
    const int32_t q = akrt_init_queue(-1, kVecIn, kVecOut, kVecIn, 1, 1, 256, at(5));
    for (int i = 0; i < 2; ++i) {
      Local t = akrt_alloc_tensor(q, at(21));
      load(t, x, 256);
      akrt_enque(q, t, at(22));
      t = akrt_deque(q, at(23));
      store(y, t, 256);
      akrt_free_tensor(q, t, at(24));
      akrt_pipe_barrier(static_cast<int>(Pipe::MTE3), at(25));
    }
  });
  CHECK_EQ(b.codes(), "");
}

TEST(user_positions_of_enque_and_deque_have_to_agree) {
  for (const uint8_t dst : {kVecOut, kVecCalc}) {
    Bench b;
    piped(b, [&] {
      const int32_t in = in_queue(1, 256);
      const Local t = akrt_alloc_tensor(in, at(21));
      akrt_enque_as(in, t, kGM, kVecCalc, at(22));
      akrt_free_tensor(in, akrt_deque_as(in, kGM, dst, at(23)), at(24));
    });
    CHECK_EQ(b.codes(), dst == kVecCalc ? "" : "enque-deque-mismatch");
  }
}

TEST(tbuf_get_beyond_the_buffer_is_reported) {
  Bench b;
  piped(b, [&] {
    const int32_t buf = akrt_init_buf(-1, kVecCalc, 64, at(5));
    CHECK_EQ(akrt_buf_get(buf, 32, 32, at(6)).addr, 32u);
    akrt_buf_get(buf, 32, 64, at(7));
  });
  CHECK_EQ(b.codes(), "tbuf-out-of-range");
}

TEST(pool_carves_and_limits) {
  Bench b;
  piped(b, [&] {
    const int32_t pool = akrt_init_pool(-1, kVecCalc, 1024, -1, 2, at(5));
    const int32_t shared = akrt_init_pool(-1, kVecCalc, 1024, pool, 2, at(5));
    const int32_t a = akrt_init_buf(pool, kVecCalc, 512, at(6));
    const int32_t c = akrt_init_buf(shared, kVecCalc, 512, at(6));
    CHECK_EQ(akrt_buf_get(a, 0, -1, at(7)).addr, akrt_buf_get(c, 0, -1, at(7)).addr);
    akrt_pool_reset(pool, at(8));
    akrt_init_buf(pool, kVecCalc, 1024, at(9));
    akrt_init_buf(pool, kVecCalc, 32, at(10));
  });
  CHECK_EQ(b.codes(), "pool-limit");
}

TEST(event_ids_are_reserved_and_peeked) {
  Bench b;
  piped(b, [&] {
    const uint8_t e = event(Pipe::MTE2, Pipe::V);
    CHECK_EQ(akrt_alloc_event(e, at(1)), 0);
    CHECK_EQ(akrt_fetch_event(e, at(1)), 1);
    CHECK_EQ(akrt_fetch_event(e, at(1)), 1);
    CHECK_EQ(akrt_alloc_event(e, at(1)), 1);
    akrt_release_event(e, 0, at(1));
    CHECK_EQ(akrt_fetch_event(e, at(1)), 0);
    akrt_release_event(e, 0, at(7));
  });
  CHECK_EQ(b.codes(), "event-not-allocated");
}

TEST(buffer_states_are_told) {
  Bench b;
  piped(b, [&] {
    const int32_t in = in_queue(1, 256);
    const Local t = akrt_alloc_tensor(in, at(21));
    CHECK_EQ(akrt_buffer_state(in, t, at(1)), 1);
    akrt_enque(in, t, at(22));
    CHECK_EQ(akrt_buffer_state(in, t, at(1)), 2);
    akrt_deque(in, at(23));
    CHECK_EQ(akrt_buffer_state(in, t, at(1)), 3);
    akrt_free_tensor(in, t, at(24));
    CHECK_EQ(akrt_buffer_state(in, t, at(1)), 0);
    CHECK_EQ(akrt_buffer_at(in, t.addr, at(1)).bytes, 256u);
  });
  CHECK_EQ(b.codes(), "");
}
