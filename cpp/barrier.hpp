// A place where threads wait for each other.
#pragma once

#include <condition_variable>
#include <mutex>

namespace sherd {

class Barrier {
  public:
    explicit Barrier(int count) : count_(count) {}
    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        const long generation = generation_;
        if (++waiting_ == count_) {
            waiting_ = 0;
            ++generation_;
            released_.notify_all();
        } else {
            released_.wait(lock, [&] { return generation_ != generation; });
        }
    }

  private:
    std::mutex mutex_;
    std::condition_variable released_;
    const int count_;
    int waiting_ = 0;
    long generation_ = 0;
};

}  // namespace sherd
